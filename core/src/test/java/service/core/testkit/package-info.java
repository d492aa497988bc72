/**
 * Code that the tests of several modules share: the seed of random tests, a graph on the heap that implements the
 * ports, and one contract for each port, which every implementation runs. In the test jar of core.
 */
package service.core.testkit;
