/**
 * LMDB environments. One owner object for each enforces the rules of LMDB. {@link service.log.lmdb.PageCursor} reads
 * their pages in place.
 */
@NullMarked
package service.log.lmdb;

import org.jspecify.annotations.NullMarked;
