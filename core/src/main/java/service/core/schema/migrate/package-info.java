/**
 * Plans how an accepted schema becomes a desired one: ordered steps, the new catalog with the identities that stay, and
 * refusals. It sees data only through {@link service.core.schema.migrate.LiveData}.
 */
@NullMarked
package service.core.schema.migrate;

import org.jspecify.annotations.NullMarked;
