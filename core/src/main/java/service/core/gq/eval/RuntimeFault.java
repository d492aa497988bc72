package service.core.gq.eval;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.plan.Expression.Origin;

/** The run-time error R1. */
final class RuntimeFault {
    private RuntimeFault() {}

    static ServiceException at(String what, Origin origin, @Nullable EntityRow entity) {
        String message =
                what
                        + " in `"
                        + origin.text()
                        + "`"
                        + (entity == null
                                ? ""
                                : " for " + entity.typeName() + " `" + entity.id() + "`");
        return new ServiceException(
                ErrorCode.BAD_REQUEST,
                message,
                new ErrorDetail.Diagnostics(
                        List.of(
                                new Diagnostic(
                                        "R1", message, origin.line(), origin.column(), null))));
    }
}
