/**
 * Object stores of a cluster's root: a directory, and a bucket with the protocol of S3. A store sends each request
 * once; the store around it repeats those that may be repeated.
 */
@NullMarked
package service.log.object;

import org.jspecify.annotations.NullMarked;
