/**
 * LMDB environments, each behind one owner object that keeps every rule of LMDB which the JVM would otherwise break.
 */
@NullMarked
package service.log.lmdb;

import org.jspecify.annotations.NullMarked;
