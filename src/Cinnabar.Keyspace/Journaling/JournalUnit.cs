namespace Cinnabar.Keyspace.Journaling;

/// <summary>What one execution hands to the journal: one or several commands.</summary>
/// <param name="Database">The database of the first command. The journal inserts SELECT where it is another
/// one than after the unit before.</param>
/// <param name="DatabaseAfter">The database that is selected after the last command: the commands contain a
/// SELECT wherever it changes between two of them.</param>
/// <param name="IsTransaction">Whether the commands take effect together: the journal puts them between MULTI
/// and EXEC.</param>
/// <param name="Length">Bytes of the commands.</param>
public readonly record struct JournalUnit(int Database, int DatabaseAfter, bool IsTransaction, long Length);
