package service.http.server;

import io.undertow.server.HttpServerExchange;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xnio.XnioExecutor;
import service.core.budget.NoWaiting;
import service.core.error.ServiceException;
import service.http.auth.Authenticator;
import service.http.route.Answer;
import service.http.stream.ClientGoneException;
import service.http.stream.IoTimer;

/**
 * A request that waits for a commit. It gives up its place, holds no thread, and ends when the commit is there, when
 * its time is over, when its client leaves, or when its credential ends. Thread rule: {@link #start} is called by the
 * thread of the conversation, which does nothing else afterwards; the wait ends on any thread, and the rest runs on the
 * I/O thread.
 */
final class WaitingPoll implements CredentialWatch.Waiting {
    private final ServerContext context;
    private final HttpServerExchange exchange;
    private final AdmissionTicket ticket;
    private final ReadInterest reading;
    private final Conversation conversation;
    private final Answer.LongPoll poll;
    private volatile boolean credentialEnded;

    WaitingPoll(
            ServerContext context,
            HttpServerExchange exchange,
            AdmissionTicket ticket,
            ReadInterest reading,
            Conversation conversation,
            Answer.LongPoll poll) {
        this.context = context;
        this.exchange = exchange;
        this.ticket = ticket;
        this.reading = reading;
        this.conversation = conversation;
        this.poll = poll;
    }

    /** Begins to wait; throws TOO_MANY_REQUESTS when too many consumers wait. */
    void start() {
        try {
            ticket.await(context.capacity().consumers(), poll.news());
        } catch (ServiceException tooMany) {
            poll.news().complete(false);
            throw tooMany;
        }
        ticket.stepAside();
        if (context.isDraining()) {
            poll.news().complete(false);
        }
        if (exchange.isRequestComplete()) {
            onIoThread(() -> reading.watch(() -> poll.news().complete(false)));
        }
        CredentialWatch.@Nullable Watched watched = conversation.watch(this);
        Runnable cancel = endAfter();
        var unused = poll.news().whenComplete((moved, failure) -> {
            cancel.run();
            if (watched != null) {
                watched.close();
            }
            if (credentialEnded) {
                exchange.getIoThread().execute(this::refuse);
            } else {
                ticket.reenter(() -> exchange.getIoThread().execute(this::resume));
            }
        });
    }

    private void onIoThread(Runnable step) {
        if (exchange.isInIoThread()) {
            step.run();
        } else {
            exchange.getIoThread().execute(step);
        }
    }

    /**
     * Ends the wait after its time, by a timer of the I/O thread: one that is set and removed there wakes no thread.
     *
     * @return removes the timer
     */
    private Runnable endAfter() {
        Duration wait = poll.timeout();
        if (wait == null) {
            return () -> {};
        }
        XnioExecutor.Key timer = IoTimer.after(
                exchange.getIoThread(),
                () -> poll.news().complete(false),
                Math.max(1, wait.toMillis()),
                TimeUnit.MILLISECONDS);
        return timer::remove;
    }

    /** On the I/O thread where the step is brief: a thousand consumers may come back at one commit. */
    private void resume() {
        try {
            reading.endWatch();
            if (!exchange.getConnection().isOpen()) {
                conversation.abort(new ClientGoneException("the client left while it waited"));
            } else if (poll.brief() && context.threads().guard().isOpen(System.nanoTime())) {
                conversation.send(context.threads().guard().call(poll.then()));
            } else {
                conversation.workLater(poll.then());
            }
        } catch (NoWaiting.WouldWaitException e) {
            conversation.workLater(poll.then());
        } catch (Throwable e) {
            conversation.refuse(e);
        }
    }

    private void refuse() {
        reading.endWatch();
        conversation.refuse(Authenticator.ended());
    }

    @Override
    public void expire() {
        credentialEnded = true;
        poll.news().complete(false);
    }

    /** The wait has ended by itself. */
    @Override
    public void cut() {}
}
