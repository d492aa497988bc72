package service.core.gq.eval;

import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.gq.function.ValueFault;
import service.core.gq.plan.Expression.Origin;

/** The run-time error R1. */
final class RuntimeFault {
    private RuntimeFault() {}

    static ServiceException at(String what, Origin origin, @Nullable EntityRow entity) {
        return at(what, null, origin, entity);
    }

    /** @param why written last, after a colon; null for nothing */
    static ServiceException at(String what, @Nullable String why, Origin origin, @Nullable EntityRow entity) {
        return at("R1", what, why, origin, entity);
    }

    static ServiceException at(ValueFault fault, Origin origin, @Nullable EntityRow entity) {
        return at(fault.code(), fault.what(), fault.why(), origin, entity);
    }

    /** @param why written last, after a colon; null for nothing */
    private static ServiceException at(
            String code, String what, @Nullable String why, Origin origin, @Nullable EntityRow entity) {
        String message = what
                + " in `"
                + origin.text()
                + "`"
                + (entity == null ? "" : " for " + entity.typeName() + " `" + entity.id() + "`")
                + (why == null ? "" : ": " + why);
        return origin.fault(code, message);
    }
}
