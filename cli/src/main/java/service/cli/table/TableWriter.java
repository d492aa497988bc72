package service.cli.table;

import com.fasterxml.jackson.core.JsonParser;
import java.io.Closeable;
import java.io.IOException;

/** Writes the rows of one file. One thread. */
sealed interface TableWriter extends Closeable permits CsvRows, ParquetRows {
    /** Puts the value at which a parser of an exported record stands; null is none. Reads it whole. */
    void put(int column, JsonParser value) throws IOException;

    /** Ends a row; a column that got nothing has no value. */
    void endRow() throws IOException;

    /** The bytes of the file so far. */
    long bytes();

    /** About the bytes of rows that are held and not written yet. */
    long bytesHeld();

    /** Writes the rows that are held, and frees their memory. */
    void flush() throws IOException;
}
