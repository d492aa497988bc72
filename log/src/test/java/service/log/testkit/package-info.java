/** The contract of {@link service.log.commit.Projector} for the tests of this module and of projection. */
package service.log.testkit;
