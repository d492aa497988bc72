package service.core.event;

import java.util.List;

/**
 * The schema that is in force from this commit on.
 *
 * @param source the whole schema text
 * @param digest {@code sha256:<hex>} of the source
 * @param identities the catalog's stable identities, as {@code core.schema} encodes them; events refer to types by
 *     identity, not by name
 * @param steps the migration steps as JSON objects, one per step
 */
public record SchemaChange(String source, String digest, byte[] identities, List<String> steps) {
    /** The first byte of identities that programs without edge types of several lanes cannot read. */
    private static final int WIDE_IDENTITIES = 3;

    /** Whether an edge type has, or had, several node types at an end. */
    boolean isWide() {
        return identities.length > 0 && identities[0] >= WIDE_IDENTITIES;
    }
}
