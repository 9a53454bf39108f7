namespace Cinnabar.Persistence.Journal;

/// <summary>Takes what is in a ring, on the thread of a producer that finds it full.</summary>
public interface IJournalReader
{
    /// <summary>Takes published records, unless another thread does so at this moment.</summary>
    /// <returns>False where another thread does.</returns>
    bool TryDrain();
}
