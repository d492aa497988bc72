package service.core.port;

/**
 * What an idempotency key stands for.
 *
 * @param requestDigest SHA-256 of the request that first used it
 * @param offset the event that the request made
 */
public record RememberedWrite(byte[] requestDigest, long offset) {}
