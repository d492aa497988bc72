package service.core.event;

/**
 * The caller's name for a write that must happen once, kept in the event itself.
 *
 * @param requestDigest SHA-256 of the request, 32 bytes
 * @param receipt a JSON object of what the answer says beyond the event itself, so that a repeat is answered alike
 *     whatever has happened to branches and schema since
 */
public record IdempotencyKey(String key, byte[] requestDigest, String receipt) {}
