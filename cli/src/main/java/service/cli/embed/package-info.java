/** Providers of embeddings, which compute vectors of texts outside of this process. */
@NullMarked
package service.cli.embed;

import org.jspecify.annotations.NullMarked;
