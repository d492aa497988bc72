package service.core.batch;

/** The execution that columns belong to: it pays for their memory and sees how they are filled. */
public interface ColumnOwner {
    /**
     * Called before a column allocates memory.
     *
     * @throws service.core.error.ServiceException when the execution may not have the bytes; nothing is allocated then
     */
    void charge(long bytes);

    /** Called when a column no longer refers to memory. */
    void release(long bytes);

    /** Called before a column is filled; throws to end an execution that must not go on. */
    void fills(int rows);
}
