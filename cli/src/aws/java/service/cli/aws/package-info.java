/**
 * The connection to AWS, compiled in by the Maven profile {@code aws} alone. Only the service loader finds it. It uses
 * no other package of this module.
 */
@NullMarked
package service.cli.aws;

import org.jspecify.annotations.NullMarked;
