package service.core.port;

/**
 * The write that was made with an idempotency key.
 *
 * @param requestDigest SHA-256 of the request that first used the key
 * @param offset the event that the request made
 * @param commitsSince number of commits of the graph since that event
 */
public record RememberedWrite(byte[] requestDigest, long offset, long commitsSince) {}
