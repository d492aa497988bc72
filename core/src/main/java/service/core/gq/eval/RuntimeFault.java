package service.core.gq.eval;

import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.gq.plan.Expression.Origin;

/** The run-time error R1. */
final class RuntimeFault {
    private RuntimeFault() {}

    static ServiceException at(String what, Origin origin, @Nullable EntityRow entity) {
        String message = what
                + " in `"
                + origin.text()
                + "`"
                + (entity == null ? "" : " for " + entity.typeName() + " `" + entity.id() + "`");
        return origin.fault(message);
    }
}
