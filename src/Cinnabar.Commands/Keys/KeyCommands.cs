using Cinnabar.Keyspace.Streams;

namespace Cinnabar.Commands.Keys;

/// <summary>Commands on keys whatever they hold: DEL, EXISTS, RANDOMKEY, TOUCH, TYPE, UNLINK.</summary>
public static class KeyCommands
{
    private const int LazyItemCountMin = 65;

    /// <summary>DEL key [key ...].</summary>
    public static void Del(Execution execution) => Remove(execution, isUnlink: false);

    /// <summary>UNLINK key [key ...]: what is big is always freed in the background, so this is DEL, but for
    /// the values that INFO counts.</summary>
    public static void Unlink(Execution execution) => Remove(execution, isUnlink: true);

    private static void Remove(Execution execution, bool isUnlink)
    {
        int count = 0;
        for (int index = 1; index < execution.ArgumentCount; index++)
        {
            Key key = execution.Key(index);
            bool isCounted = isUnlink && IsLarge(execution.Keys.Peek(in key));
            if (!execution.Keys.Remove(in key))
                continue;
            if (isCounted)
                execution.Keys.Keyspace.NoteUnlinked();
            execution.Keys.Changed(in key, KeyEvent.Deleted);
            count++;
        }

        execution.Reply.Integer(count);
    }

    /// <summary>Whether a value is one that Redis would leave to the background.</summary>
    private static bool IsLarge(EntryView entry) => !entry.IsMissing && entry.Encoding switch
    {
        KeyEncoding.Stream => StreamStore.Of(entry).Length >= LazyItemCountMin,
        KeyEncoding.HashTable or KeyEncoding.SkipList or KeyEncoding.Quicklist =>
            ValueSize.Of(entry) >= LazyItemCountMin,
        _ => false,
    };

    /// <summary>EXISTS key [key ...]; a key named twice counts twice.</summary>
    public static void Exists(Execution execution)
    {
        int count = 0;
        for (int index = 1; index < execution.ArgumentCount; index++)
            count += execution.Keys.FindUntouched(execution.Key(index)).IsMissing ? 0 : 1;
        execution.Reply.Integer(count);
    }

    /// <summary>TOUCH key [key ...]: notes an access even for a client that notes none (CLIENT
    /// NO-TOUCH).</summary>
    public static void Touch(Execution execution)
    {
        bool isNoTouch = execution.Keys.IsNoTouch;
        execution.Keys.IsNoTouch = false;
        int count = 0;
        for (int index = 1; index < execution.ArgumentCount; index++)
            count += execution.Keys.Find(execution.Key(index)).IsMissing ? 0 : 1;
        execution.Keys.IsNoTouch = isNoTouch;
        execution.Reply.Integer(count);
    }

    /// <summary>TYPE key.</summary>
    public static void Type(Execution execution)
    {
        EntryView entry = execution.Keys.FindUntouched(execution.Key(1));
        execution.Reply.SimpleString(entry.IsMissing ? "none"u8 : NameOf(entry.Type));
    }

    /// <summary>Chooses the stripe of a RANDOMKEY.</summary>
    public static void ChooseStripe(Execution execution)
    {
        int stripe = KeySampler.ChooseStripe(
            execution.Keys.Keyspace, execution.Keys.Database, ref execution.Random);
        execution.UseStripes(stripe, stripe + 1);
    }

    /// <summary>RANDOMKEY.</summary>
    public static Outcome RandomKey(Execution execution)
    {
        (int first, int end) = (execution.StripeFirst, execution.StripeEnd);
        Debug.Assert(first < end, "no stripe was chosen");
        EntryView entry = KeySampler.Sample(execution.Keys, first, end, ref execution.Random);
        bool areAll = end - first == execution.Keys.Keyspace.Stripes.Length;
        if (entry.IsMissing && !areAll && execution.Keys.Keyspace.Count(execution.Keys.Database) > 0)
        {
            return Outcome.AllStripes;
        }

        // While CLIENT PAUSE keeps expired keys, a database of nothing else has a random key, as in Redis.
        if (entry.IsMissing && execution.Keys.Keyspace.IsExpiryHeld)
            entry = KeySampler.SampleExpired(execution.Keys, ref execution.Random);
        if (entry.IsMissing)
            execution.Reply.Null();
        else
            execution.Reply.Bulk(entry.Key);
        return Outcome.Done;
    }

    /// <summary>The name of a type, as TYPE replies it.</summary>
    internal static ReadOnlySpan<byte> NameOf(KeyType type) => type switch
    {
        KeyType.String => "string"u8,
        KeyType.List => "list"u8,
        KeyType.Set => "set"u8,
        KeyType.SortedSet => "zset"u8,
        KeyType.Hash => "hash"u8,
        KeyType.Stream => "stream"u8,
        _ => throw new InvalidOperationException($"The type {type} has no name."),
    };
}
