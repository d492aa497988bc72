package service.projection.search;

import service.core.batch.Column;
import service.core.batch.TextColumn;
import service.core.port.TextIndex;
import service.core.value.HeapBytes;
import service.core.value.Value;

/** Analyses the texts of columns; a text counts against the memory of the search while its terms pass. */
public final class Analysis {
    /** Bytes for each byte of a text: its chars, and the buffer of the tokenizer. */
    private static final int BYTES_A_BYTE = 2 * Character.BYTES;

    private Analysis() {}

    /**
     * Gives the terms of a row that is not null to a sink.
     *
     * @param values Strings or lists of Strings
     */
    public static void terms(
            TextIndex.Payer payer, TextAnalyzer analyzer, Column values, int row, TextAnalyzer.TermSink sink) {
        if (values instanceof TextColumn texts) {
            long held = (long) BYTES_A_BYTE * texts.lengths[row];
            payer.bytes(texts.lengths[row]);
            payer.charge(held);
            analyzer.terms(texts.text(row), 0, sink);
            payer.release(held);
        } else {
            Value list = values.value(row);
            long held = HeapBytes.of(list);
            payer.charge(held);
            analyzer.terms(list, sink);
            payer.release(held);
        }
    }
}
