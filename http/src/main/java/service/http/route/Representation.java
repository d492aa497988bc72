package service.http.route;

import service.core.json.Int64Form;

/**
 * The form of an answer: what the client asked for with {@code Accept}, among what its route offers.
 *
 * @param int64 how values of 64 bits are written; always numbers where the media type is no text
 */
public record Representation(Media media, Int64Form int64) {
    /** The usual form of most answers, and that of refusals before the header was read. */
    public static final Representation PLAIN_JSON = new Representation(Media.JSON, Int64Form.NUMBER);

    /** The parameter of media types that asks for 64-bit integers as strings. */
    static final String INT64 = "int64";

    /** The value of {@code Content-Type} for a body of this media type in this form. */
    public String contentType(Media body) {
        return int64 == Int64Form.STRING && body.isText() ? body.type() + ";" + INT64 + "=string" : body.type();
    }
}
