/** LMDB environments. One owner object for each enforces the rules of LMDB. */
@NullMarked
package service.log.lmdb;

import org.jspecify.annotations.NullMarked;
