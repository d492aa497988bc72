package service.cli.table;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import service.core.value.PropertyType;
import service.core.value.Value;

/** The rows of one file. One thread. A file that cannot be read as its format is a {@link TableFault}. */
interface TableReader extends Closeable {
    /** The names of the columns, in their order. */
    List<String> columns();

    /** Goes to the next row; false at the end. */
    boolean next() throws IOException;

    /** Where the row is, from 1: the line of a text, the number of the row in any other file. */
    long place();

    /** What {@link #place} counts, such as {@code line}. */
    String placeName();

    /** The number of cells of the row. A text may have another number of them than of columns. */
    int cells();

    /**
     * The value of a cell as a property of the type has it; {@link Value#NULL} where there is none. A Blob is its text.
     *
     * @throws IllegalArgumentException with the reason, to be written after the cell: {@code is no I32}
     */
    Value cell(int column, PropertyType type);

    /** Whether a cell has no value. */
    boolean isNull(int column);

    /**
     * A cell as an id; {@link Value#NULL} where there is none.
     *
     * @throws IllegalArgumentException as {@link #cell}
     */
    default Value id(int column) {
        return cell(column, PropertyType.STRING);
    }

    /** The cell as a message shows it. */
    String shown(int column);
}
