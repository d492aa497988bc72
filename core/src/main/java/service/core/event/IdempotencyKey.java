package service.core.event;

/**
 * The caller's name for a write that must happen once, kept in the event itself.
 *
 * @param requestDigest SHA-256 of the request, 32 bytes
 */
public record IdempotencyKey(String key, byte[] requestDigest) {}
