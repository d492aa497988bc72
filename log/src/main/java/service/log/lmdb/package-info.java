/** LMDB environments. Each has one owner object, which enforces the rules of LMDB. */
@NullMarked
package service.log.lmdb;

import org.jspecify.annotations.NullMarked;
