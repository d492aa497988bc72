/**
 * Incoming Blob values: base64 decoded as it arrives, bytes staged until their commit, external references checked
 * against the bases that a graph allows.
 */
@NullMarked
package service.core.blob;

import org.jspecify.annotations.NullMarked;
