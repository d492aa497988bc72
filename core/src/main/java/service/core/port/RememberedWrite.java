package service.core.port;

/**
 * What an idempotency key stands for.
 *
 * @param requestDigest SHA-256 of the request that first used it
 * @param offset the event that the request made
 * @param commitsSince commits that the graph has made since that event
 */
public record RememberedWrite(byte[] requestDigest, long offset, long commitsSince) {}
