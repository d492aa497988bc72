package service.http.limit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import service.core.budget.Claim;

/**
 * Who holds places, and has a share of them: an actor, or an address where no actor is known; and a graph for all
 * requests to it. Of an IPv6 address the network counts, because one machine has all the addresses of a /64. All
 * clients behind one proxy are one address.
 *
 * @param name of the actor or graph, or the address
 * @param kind what it is
 * @param isLimited whether the share is a bound. Without one, the holder still takes its turns among the others
 */
public record Holder(String name, Kind kind, boolean isLimited) {
    /** What a holder is. */
    public enum Kind {
        ACTOR,
        ADDRESS,
        GRAPH
    }

    /** The claim of a request that was not admitted yet. */
    public static final Claim<Holder> NOBODY = new Claim<>(new Holder("", Kind.ADDRESS, false), graph("", false));

    private static final int NETWORK_BYTES = 8;

    /** An actor that a credential names. */
    public static Holder actor(String name) {
        return new Holder(name, Kind.ACTOR, true);
    }

    /**
     * All requests for a graph.
     *
     * @param id empty for requests without a graph
     */
    public static Holder graph(String id, boolean isLimited) {
        return new Holder(id, Kind.GRAPH, isLimited);
    }

    /** The other end of a connection. */
    public static Holder address(@Nullable InetSocketAddress peer, boolean isLimited) {
        InetAddress address = peer == null ? null : peer.getAddress();
        return new Holder(address == null ? "" : text(address), Kind.ADDRESS, isLimited);
    }

    /** The same holder; its share is a bound or not. */
    public Holder limited(boolean limited) {
        return limited == isLimited ? this : new Holder(name, kind, limited);
    }

    private static String text(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), NETWORK_BYTES)) + "/64"
                : address.getHostAddress();
    }

    /** The subject of a refusal. */
    public String asSubject() {
        return switch (kind) {
            case ACTOR -> "`" + name + "` has";
            case ADDRESS -> "this address has";
            case GRAPH -> "graph `" + name + "` has";
        };
    }

    public boolean isActor() {
        return kind == Kind.ACTOR;
    }
}
