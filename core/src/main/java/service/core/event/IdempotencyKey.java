package service.core.event;

/**
 * The caller's key for a write that must happen once, stored in the event itself.
 *
 * @param requestDigest SHA-256 of the request, 32 bytes
 * @param receipt a JSON object with the parts of the answer that the event does not hold, so that a repeat gets the
 *     same answer whatever happened to branches and schema since
 */
public record IdempotencyKey(String key, byte[] requestDigest, String receipt) {}
