/**
 * A source connector for Kafka Connect: the commits of a branch become records, in order. {@code docs/kafka-connect.md}
 * says what they look like.
 */
@NullMarked
package service.connect;

import org.jspecify.annotations.NullMarked;
