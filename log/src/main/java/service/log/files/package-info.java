/** Files and directories of this machine: deleted whole, made durable, replaced as a whole. */
@NullMarked
package service.log.files;

import org.jspecify.annotations.NullMarked;
