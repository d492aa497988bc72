package service.core.gq.function;

import java.time.LocalTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import service.core.value.CalendarUnit;
import service.core.value.Value;

/** Values of functions of dates and times. */
final class TimeFunctions {
    private TimeFunctions() {}

    static Value date(Value momentOrText) throws ValueFault {
        try {
            return CalendarUnit.date(momentOrText);
        } catch (IllegalArgumentException e) {
            throw new ValueFault("`" + CalendarUnit.shown(momentOrText) + "` is not a date", e.getMessage());
        }
    }

    static Value dateTime(Value momentOrText) throws ValueFault {
        try {
            return CalendarUnit.dateTime(momentOrText);
        } catch (IllegalArgumentException e) {
            throw new ValueFault("`" + CalendarUnit.shown(momentOrText) + "` is not a date-time", e.getMessage());
        }
    }

    static Value dateOrNull(Value momentOrText) {
        try {
            return CalendarUnit.date(momentOrText);
        } catch (IllegalArgumentException e) {
            return Value.NULL;
        }
    }

    static Value dateTimeOrNull(Value momentOrText) {
        try {
            return CalendarUnit.dateTime(momentOrText);
        } catch (IllegalArgumentException e) {
            return Value.NULL;
        }
    }

    static LocalTime timeOfDay(Value moment) {
        return LocalTime.ofNanoOfDay(
                Math.floorMod(CalendarUnit.epochMillis(moment), TimeUnit.DAYS.toMillis(1)) * 1_000_000L);
    }

    static Value truncate(Value moment, String unit) throws ValueFault {
        try {
            return CalendarUnit.truncate(moment, unit);
        } catch (IllegalArgumentException e) {
            throw new ValueFault(String.valueOf(e.getMessage()), null);
        }
    }

    /** A written unit is checked before the query runs; the unit of a parameter or a property when it runs. */
    static @Nullable Misuse checkUnit(Value literal, Family moment) {
        if (!(literal instanceof Value.Text(String word))) {
            return null;
        }
        CalendarUnit unit = CalendarUnit.of(word);
        if (unit == null) {
            return Misuse.ofUnit(word, CalendarUnit.words());
        }
        return unit.isWithinDay() && moment == Family.DATE
                ? new Misuse("a Date has no `" + word + "`", "a DateTime has one")
                : null;
    }
}
