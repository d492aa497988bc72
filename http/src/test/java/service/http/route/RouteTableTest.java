package service.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RouteTableTest {
    private final RouteTable routes = RouteTable.standard("1", false, null);

    @Test
    void namesThePathThatAnUnknownOneMeans() {
        assertThat(routes.meant(List.of("graphs", "g", "changs"))).isEqualTo("/graphs/g/changes");
        assertThat(routes.meant(List.of("graph", "g", "query"))).isEqualTo("/graphs/g/query");
        assertThat(routes.meant(List.of("helthz"))).isEqualTo("/healthz");
        assertThat(routes.meant(List.of("graphs", "g", "somewhere"))).isNull();
        assertThat(routes.meant(List.of("x", "y", "z"))).isNull();
        assertThat(routes.meant(List.of())).isNull();
    }
}
