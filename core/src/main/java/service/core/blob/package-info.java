/**
 * Blob values on their way in: base64 decoded as it arrives, bytes set aside until their commit, external references
 * held against what a graph allows.
 */
@NullMarked
package service.core.blob;

import org.jspecify.annotations.NullMarked;
