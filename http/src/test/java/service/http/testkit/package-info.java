/**
 * What tests of several modules use to hold a server against {@code openapi.json}: a validator of answers, and an HTTP
 * client that runs it. In the test jar of http.
 */
@NullMarked
package service.http.testkit;

import org.jspecify.annotations.NullMarked;
