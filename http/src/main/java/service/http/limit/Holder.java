package service.http.limit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Who holds places, and has a share of them: an actor, or an address where no actor is known. Of an IPv6 address the
 * network counts, because one machine has all the addresses of a /64. All clients behind one proxy are one address.
 *
 * @param name of the actor, or the address
 * @param isActor whether it is an actor
 * @param isLimited whether the share is a bound. Without one, the holder still takes its turns among the others
 */
public record Holder(String name, boolean isActor, boolean isLimited) {
    /** The holder of a request that was not admitted yet. */
    public static final Holder NOBODY = new Holder("", false, false);

    private static final int NETWORK_BYTES = 8;

    /** An actor that a credential names. */
    public static Holder actor(String name) {
        return new Holder(name, true, true);
    }

    /** The other end of a connection. */
    public static Holder address(@Nullable InetSocketAddress peer, boolean isLimited) {
        InetAddress address = peer == null ? null : peer.getAddress();
        return new Holder(address == null ? "" : text(address), false, isLimited);
    }

    /** The same holder; its share is a bound or not. */
    public Holder limited(boolean limited) {
        return limited == isLimited ? this : new Holder(name, isActor, limited);
    }

    private static String text(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), NETWORK_BYTES)) + "/64"
                : address.getHostAddress();
    }

    /** The subject of a refusal. */
    public String asSubject() {
        return isActor ? "`" + name + "` has" : "this address has";
    }
}
