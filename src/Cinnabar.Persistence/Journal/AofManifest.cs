// The list of the files that together are the append-only file, as Redis 7 writes it:
//
//   file appendonly.aof.3.base.rdb seq 3 type b
//   file appendonly.aof.4.incr.aof seq 4 type i
//   file appendonly.aof.2.base.rdb seq 2 type h
//
// One base or none, then increments in the order of their numbers; a history file is to be deleted. A
// manifest is never changed: a change makes another one, which replaces the stored one as a whole
// (AofDirectory).

using System.Linq;

namespace Cinnabar.Persistence.Journal;

/// <summary>Which files make up the append-only file. Immutable.</summary>
public sealed class AofManifest
{
    private const int LineLengthMax = 1024;

    /// <summary>The manifest of an append-only file without files.</summary>
    public static AofManifest Empty { get; } = new();

    /// <summary>The base; null: the data begin empty.</summary>
    public AofFile? Base { get; private init; }

    /// <summary>The increments, in order.</summary>
    public IReadOnlyList<AofFile> Increments { get; private init; } = [];

    /// <summary>The files to be deleted.</summary>
    public IReadOnlyList<AofFile> History { get; private init; } = [];

    /// <summary>The number of the last base.</summary>
    public long BaseSequence { get; private set; }

    /// <summary>The number of the last increment.</summary>
    public long IncrementSequence { get; private init; }

    /// <summary>The files that a server loads, in order.</summary>
    public IEnumerable<AofFile> Loaded => Base is null ? Increments : Increments.Prepend(Base);

    /// <summary>Reads a manifest.</summary>
    /// <exception cref="AofManifestException">It is not one.</exception>
    public static AofManifest Parse(ReadOnlySpan<byte> text)
    {
        AofManifest manifest = Empty;
        int lineNumber = 0;
        while (!text.IsEmpty)
        {
            lineNumber++;
            int length = text.IndexOf((byte)'\n');
            if (length < 0 || length >= LineLengthMax)
                throw new AofManifestException("The AOF manifest file contains too long line", lineNumber);
            string line = Encoding.Latin1.GetString(text[..length]).Trim();
            text = text[(length + 1)..];
            if (line.StartsWith('#'))
                continue;
            try
            {
                manifest = manifest.With(AofManifestLine.Parse(line));
            }
            catch (FormatException fault)
            {
                throw new AofManifestException(fault.Message, lineNumber, line);
            }
        }

        return lineNumber > 0 ? manifest : throw new AofManifestException("Found an empty AOF manifest");
    }

    /// <summary>The text of the manifest.</summary>
    public byte[] Format()
    {
        var text = new StringBuilder();
        if (Base is not null)
            AofManifestLine.Append(text, Base);
        foreach (AofFile file in History)
            AofManifestLine.Append(text, file);
        foreach (AofFile file in Increments)
            AofManifestLine.Append(text, file);
        return Encoding.Latin1.GetBytes(text.ToString());
    }

    /// <summary>With one more increment.</summary>
    /// <param name="fileName">The value of <c>appendfilename</c>.</param>
    public AofManifest WithIncrement(string fileName)
    {
        long sequence = IncrementSequence + 1;
        return With(new AofFile($"{fileName}.{sequence}.incr.aof", sequence, AofFileKind.Increment));
    }

    /// <summary>With a base in place of the present one, which becomes history.</summary>
    /// <param name="fileName">The value of <c>appendfilename</c>.</param>
    /// <param name="isSnapshot">Whether the base is a snapshot, not commands.</param>
    public AofManifest WithBase(string fileName, bool isSnapshot)
    {
        long sequence = BaseSequence + 1;
        string extension = isSnapshot ? "rdb" : "aof";
        return Copy(new AofFile($"{fileName}.{sequence}.base.{extension}", sequence, AofFileKind.Base),
            Increments, Base is null ? History : [HistoryOf(Base), .. History]);
    }

    /// <summary>With a file of an older server as its base.</summary>
    public static AofManifest Of(string oldFileName) =>
        Empty.With(new AofFile(oldFileName, 1, AofFileKind.Base));

    /// <summary>With all increments but the last ones as history: a new base has what they have.</summary>
    /// <param name="keptCount">How many increments stay.</param>
    public AofManifest WithoutIncrements(int keptCount)
    {
        Debug.Assert(keptCount <= Increments.Count, "there are fewer");
        int removedCount = Increments.Count - keptCount;
        return Copy(Base, [.. Increments.Skip(removedCount)],
            [.. Increments.Take(removedCount).Reverse().Select(HistoryOf), .. History]);
    }

    /// <summary>Without the history files.</summary>
    public AofManifest WithoutHistory() => Copy(Base, Increments, []);

    /// <summary>Gives its next base a number that no base of another one has.</summary>
    public AofManifest WithoutReuse(AofManifest other)
    {
        AofManifest copy = Copy(Base, Increments, History);
        copy.BaseSequence = Math.Max(BaseSequence, other.BaseSequence);
        return copy;
    }

    private static AofFile HistoryOf(AofFile file) => file with { Kind = AofFileKind.History };

    /// <summary>With one more file.</summary>
    /// <exception cref="FormatException">It does not fit the others; the message is Redis's.</exception>
    internal AofManifest With(AofFile file)
    {
        switch (file.Kind)
        {
            case AofFileKind.Base:
                if (Base is not null)
                    throw new FormatException("Found duplicate base file information");
                return Copy(file, Increments, History);
            case AofFileKind.Increment:
                if (file.Sequence <= IncrementSequence)
                    throw new FormatException("Found a non-monotonic sequence number");
                return Copy(Base, [.. Increments, file], History);
            default:
                return Copy(Base, Increments, [.. History, file]);
        }
    }

    private AofManifest Copy(AofFile? baseFile, IReadOnlyList<AofFile> increments,
        IReadOnlyList<AofFile> history) => new()
        {
            Base = baseFile,
            Increments = increments,
            History = history,
            BaseSequence = Math.Max(BaseSequence, baseFile?.Sequence ?? 0),
            IncrementSequence = increments.Count == 0 ? IncrementSequence : increments[^1].Sequence,
        };
}
