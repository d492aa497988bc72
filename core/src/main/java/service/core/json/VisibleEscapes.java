package service.core.json;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;
import service.core.value.VisibleText;

/** What Jackson escapes in strings beyond what JSON demands: DEL, C1 and the characters of direction. Any thread. */
public final class VisibleEscapes extends CharacterEscapes {
    private static final long serialVersionUID = 1L;

    private static final int DELETE = 0x7F;

    private static final int[] ASCII = CharacterEscapes.standardAsciiEscapesForJSON();

    static {
        ASCII[DELETE] = CharacterEscapes.ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
        return ASCII.clone();
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int c) {
        return c >= DELETE && c <= Character.MAX_VALUE && VisibleText.isHidden((char) c)
                ? new SerializedString(String.format("\\u%04x", c))
                : null;
    }
}
