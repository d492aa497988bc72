/** Tables in files: CSV and Parquet, read as records of a load and written from records of an export. */
@NullMarked
package service.cli.table;

import org.jspecify.annotations.NullMarked;
