using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Compares keys chosen at random: type, value and deadline, by digests of what the commands of the
/// type give on both sides.</summary>
/// <param name="source">The source.</param>
/// <param name="local">This server.</param>
/// <param name="abilities">What the source can do.</param>
internal sealed class SampleCheck(SourceLink source, LocalLink local, Abilities abilities)
{
    private const long BytesMax = 1 << 20;

    private readonly SourceLink _source = source;
    private readonly LocalLink _local = local;
    private readonly Abilities _abilities = abilities;
    private readonly ValueReader _sourceReader = new(source, abilities);
    private readonly ValueReader _localReader = new(local, abilities);

    /// <summary>Chooses keys of a database of the source; none where it lets nobody choose.</summary>
    public IReadOnlyCollection<ImportKey> Choose(int database, int count)
    {
        if (!_source.TrySelect(database))
            return [];
        for (int index = 0; index < count; index++)
            _source.Add("RANDOMKEY");
        _source.Send();
        HashSet<ImportKey> keys = [];
        for (int index = 0; index < count; index++)
        {
            Reply reply = _source.Receive();
            if (reply is { IsError: false, IsNull: false })
                keys.Add(new ImportKey(database, reply.Bytes));
        }

        return keys;
    }

    /// <summary>Compares a key.</summary>
    /// <returns>Whether it is the same on both sides; null: it is too large to be compared, or the source
    /// does not have it.</returns>
    public bool? IsSame(ImportKey key)
    {
        _source.Select(key.Database);
        _local.Select(key.Database);
        byte[]? there = DigestOf(_source, _sourceReader, key.Name, out bool isSkipped);
        if (isSkipped)
            return null;
        byte[]? here = DigestOf(_local, _localReader, key.Name, out _);
        return here is not null && there.AsSpan().SequenceEqual(here);
    }

    // Null: it is not there. Skipped: it is not compared.
    private byte[]? DigestOf(RespLink link, ValueReader reader, byte[] key, out bool isSkipped)
    {
        string deadlineCommand = _abilities.CanTellDeadline ? "PEXPIRETIME" : "PTTL";
        link.Add(CopiedValue.Word("TYPE"), key);
        link.Add(CopiedValue.Word(deadlineCommand), key);
        link.Send();
        Reply type = link.Receive();
        Reply deadline = link.Receive();
        isSkipped = true;
        if (type.IsError || deadline.IsError || type.Text == "none")
            return null;
        Reply? error = reader.Read(key, type.Text, BytesMax, out CopiedValue? value);
        isSkipped = error is not null || value is null || value.Bytes > BytesMax;
        // What is left of a time is different a moment later.
        long deadlineMs = _abilities.CanTellDeadline ? deadline.Integer : Math.Min(deadline.Integer, 0);
        return isSkipped ? null : value!.Digest(deadlineMs);
    }
}
