package service.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Which servers the client trusts over TLS, and why it does not trust one, in words. Any thread. */
final class ServerTrust {
    private ServerTrust() {}

    /** Trusts no server, for connections without TLS: reading the certificates of the system takes 100 ms. */
    static SSLContext none() {
        return context(new TrustManager[0]);
    }

    /**
     * Trusts the authorities of this Java and those of a file.
     *
     * @param authorities certificates in PEM, which may stand between other text
     * @throws CommandFailure when the file cannot be used
     */
    static SSLContext with(Path authorities) {
        Collection<? extends Certificate> own = read(authorities);
        try {
            KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
            all.load(null, null);
            int count = 0;
            for (TrustManager manager : managers(null)) {
                if (manager instanceof X509TrustManager system) {
                    for (X509Certificate issuer : system.getAcceptedIssuers()) {
                        all.setCertificateEntry("system-" + count++, issuer);
                    }
                }
            }
            for (Certificate certificate : own) {
                all.setCertificateEntry("own-" + count++, certificate);
            }
            return context(managers(all));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this Java cannot hold certificates", e);
        }
    }

    private static Collection<? extends Certificate> read(Path file) {
        try (InputStream pem = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(pem);
            if (!found.isEmpty()) {
                return found;
            }
        } catch (IOException e) {
            throw CommandFailure.usage("the file of authorities " + file + " cannot be read: "
                    + (Files.exists(file) ? e.getClass().getSimpleName() : "there is no such file"));
        } catch (CertificateException e) {
            // Said below.
        }
        throw CommandFailure.usage("the file of authorities " + file + " holds no certificates in PEM: it needs lines"
                + " from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----");
    }

    private static TrustManager[] managers(@Nullable KeyStore of) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(of);
        return factory.getTrustManagers();
    }

    private static SSLContext context(TrustManager[] trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no TLS", e);
        }
    }

    /** The reason of a failed handshake and its remedy. */
    static String reason(String host, SSLException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case CertificateExpiredException expired -> {
                    return "the certificate of " + host + " has expired; renew it there";
                }
                case CertificateNotYetValidException early -> {
                    return "the certificate of " + host + " is not valid yet; check the clock of this machine";
                }
                case CertPathBuilderException unknown -> {
                    return "the certificate of " + host + " is from an authority that this machine does not trust; name"
                            + " a PEM file with the authority's certificate in SERVICE_CA_FILE";
                }
                case CertPathValidatorException invalid
                when !(invalid.getCause() instanceof CertificateException) -> {
                    return "the certificate of " + host + " is not accepted: " + invalid.getMessage();
                }
                case CertificateException name
                when String.valueOf(name.getMessage()).startsWith("No ") -> {
                    return "the certificate of " + host + " is for another name (" + name.getMessage()
                            + "); address the server by a name in its certificate";
                }
                default -> {}
            }
        }
        String message = String.valueOf(failure.getMessage());
        return message.toLowerCase(Locale.ROOT).contains("unrecognized ssl message")
                ? host + " does not speak TLS; is its URL http://" + host + "?"
                : "no TLS connection to " + host + " could be made: " + message;
    }
}
