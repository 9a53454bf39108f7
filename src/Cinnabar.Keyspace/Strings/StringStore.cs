using Cinnabar.Keyspace.Entries;
using Cinnabar.Memory;
using Cinnabar.Resp;
using Cinnabar.Structures.Blocks;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace.Strings;

/// <summary>
/// String values: stores them in their best encoding and edits them in place. Declares nothing (see
/// <see cref="KeyspaceAccess.Changed(in Key, KeyEvent)"/>).
/// </summary>
public sealed unsafe class StringStore(KeyspaceAccess access)
{
    /// <summary>As a deadline: keep the one that the key has.</summary>
    public const long KeepDeadline = -2;

    /// <summary>As a deadline: none.</summary>
    public const long NoDeadline = -1;

    /// <summary>The longest string that lies in its entry; longer ones are block trees.</summary>
    public const int InlineLengthMax = KeyEntry.InlineValueLengthMax;

    private const int EmbstrLengthMax = 44;
    private const int DigitCountMax = 20;

    private readonly KeyspaceAccess _access = access;
    private readonly Keyspace _keyspace = access.Keyspace;

    /// <summary>
    /// Stores a string as SET does, replacing a value of any type: an integer's digits become
    /// <see cref="KeyEncoding.Int"/>, short strings embstr, long ones raw or a block tree.
    /// </summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="deadlineMs">Unix milliseconds, <see cref="NoDeadline"/> or
    /// <see cref="KeepDeadline"/>.</param>
    public void Set(in Key key, ReadOnlySpan<byte> value, long deadlineMs = NoDeadline)
    {
        if (value.Length <= DigitCountMax && RedisNumber.TryParseInt64(value, out long integer))
        {
            SetInteger(in key, integer, deadlineMs);
            return;
        }

        if (value.Length > KeyEntry.InlineValueLengthMax)
        {
            SetBlocks(in key, BlockString.Create(_keyspace.Blocks, value), deadlineMs);
            return;
        }

        KeyEncoding encoding = value.Length <= EmbstrLengthMax ? KeyEncoding.Embstr : KeyEncoding.Raw;
        byte* place = Place(in key, encoding, value.Length, deadlineMs);
        value.CopyTo(new Span<byte>(place, value.Length));
    }

    /// <summary>Stores a string without looking for an integer in it, as embstr or raw (results of
    /// commands).</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The bytes.</param>
    /// <param name="deadlineMs">As <see cref="Set"/>'s.</param>
    /// <param name="isEmbstrAllowed">Whether a short string may be embstr.</param>
    public void SetRaw(in Key key, ReadOnlySpan<byte> value, long deadlineMs, bool isEmbstrAllowed = true)
    {
        if (value.Length > KeyEntry.InlineValueLengthMax)
        {
            SetBlocks(in key, BlockString.Create(_keyspace.Blocks, value), deadlineMs);
            return;
        }

        bool isEmbstr = isEmbstrAllowed && value.Length <= EmbstrLengthMax;
        KeyEncoding encoding = isEmbstr ? KeyEncoding.Embstr : KeyEncoding.Raw;
        value.CopyTo(new Span<byte>(Place(in key, encoding, value.Length, deadlineMs), value.Length));
    }

    /// <summary>Stores an integer.</summary>
    public void SetInteger(in Key key, long value, long deadlineMs)
    {
        byte* place = Place(in key, KeyEncoding.Int, sizeof(long), deadlineMs);
        Unsafe.WriteUnaligned(place, value);
    }

    /// <summary>Stores a block tree; the caller's reference goes to the key.</summary>
    public void SetBlocks(in Key key, BlockString value, long deadlineMs)
    {
        byte* place = Place(in key, KeyEncoding.Blocks, sizeof(long), deadlineMs);
        Unsafe.WriteUnaligned(place, value.Address);
    }

    /// <summary>Overwrites the integer of an <see cref="KeyEncoding.Int"/> entry in place.</summary>
    public void ReplaceInteger(EntryView entry, in Key key, long value)
    {
        BeforeChange(entry, in key);
        Unsafe.WriteUnaligned(KeyEntry.Value(entry.Entry), value);
    }

    /// <summary>
    /// Makes a string editable: at least <paramref name="lengthMin"/> bytes, extended with zeros, raw, and
    /// not shared. A missing key is made; an existing one must hold a string. The deadline stays.
    /// </summary>
    public StringEditor Edit(scoped in Key key, long lengthMin)
    {
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        DatabaseTable table = stripe.TableOrNew(_access.Database);
        if (!table.Entries.TryFind(key.Hash, key.Span, out SlotReference slot)
            || _access.IsPastDeadline(slot.Entry))
            return EditNew(in key, lengthMin);
        byte* entry = slot.Entry;
        stripe.BeforeChange(table, entry);
        if (KeyEntry.Encoding(entry) == KeyEncoding.Blocks)
            return EditBlocks(entry, lengthMin);
        if (KeyEntry.Encoding(entry) == KeyEncoding.Int)
            entry = SpellOut(stripe, table, slot);
        int oldLength = KeyEntry.InlineLength(entry);
        long length = Math.Max(lengthMin, oldLength);
        if (length > KeyEntry.InlineValueLengthMax)
            return EditBlocks(Outgrow(stripe, table, in key), length);
        if (length > oldLength)
        {
            if (!table.Entries.TryFind(key.Hash, key.Span, out slot))
                throw new InvalidOperationException("An edited key went away.");
            entry = EntryShape.Change(stripe, table, slot, (int)length, DeadlineOf(entry));
            new Span<byte>(KeyEntry.Value(entry) + oldLength, (int)length - oldLength).Clear();
            KeyEntry.SetInlineLength(entry, (int)length);
        }

        KeyEntry.SetEncoding(entry, KeyEncoding.Raw);
        return new StringEditor(KeyEntry.Value(entry), length);
    }

    /// <summary>
    /// As <see cref="Edit"/>, for an entry just found that is raw or a block tree already and keeps its
    /// length.
    /// </summary>
    public StringEditor EditInPlace(EntryView entry, in Key key)
    {
        BeforeChange(entry, in key);
        return entry.Encoding == KeyEncoding.Blocks
            ? EditBlocks(entry.Entry, 0)
            : new StringEditor(KeyEntry.Value(entry.Entry), KeyEntry.InlineLength(entry.Entry));
    }

    private void BeforeChange(EntryView entry, in Key key)
    {
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        if (stripe.Guard is not null)
            stripe.BeforeChange(stripe.Table(_access.Database)!, entry.Entry);
    }

    private static long DeadlineOf(byte* entry) => KeyEntry.HasDeadline(entry)
        ? KeyEntry.Deadline(entry) : -1;

    private StringEditor EditNew(scoped in Key key, long length)
    {
        if (length > KeyEntry.InlineValueLengthMax)
        {
            BlockString blocks = BlockString.CreateZero(_keyspace.Blocks, length);
            SetBlocks(in key, blocks, NoDeadline);
            return EditBlocks(_access.Locate(in key), length);
        }

        byte* place = Place(in key, KeyEncoding.Raw, (int)length, NoDeadline);
        new Span<byte>(place, (int)length).Clear();
        return new StringEditor(place, length);
    }

    private StringEditor EditBlocks(byte* entry, long lengthMin)
    {
        BlockString blocks = new EntryView(entry).BlockString;
        if (blocks.Length < lengthMin)
            blocks.Resize(_keyspace.Blocks, lengthMin);
        Unsafe.WriteUnaligned(KeyEntry.Value(entry), blocks.Address);
        return new StringEditor(entry, blocks, _keyspace.Blocks);
    }

    /// <summary>Turns an integer into its digits.</summary>
    private byte* SpellOut(Stripe stripe, DatabaseTable table, in SlotReference slot)
    {
        Span<byte> digits = stackalloc byte[24];
        int length = RedisNumber.FormatInt64(Unsafe.ReadUnaligned<long>(KeyEntry.Value(slot.Entry)), digits);
        byte* entry = EntryShape.Change(stripe, table, slot, length, DeadlineOf(slot.Entry));
        KeyEntry.SetEncoding(entry, KeyEncoding.Raw);
        KeyEntry.SetInlineLength(entry, length);
        digits[..length].CopyTo(new Span<byte>(KeyEntry.Value(entry), length));
        return entry;
    }

    /// <summary>Moves an inline string that becomes too long into a block tree.</summary>
    private byte* Outgrow(Stripe stripe, DatabaseTable table, in Key key)
    {
        table.Entries.TryFind(key.Hash, key.Span, out SlotReference slot);
        byte* entry = slot.Entry;
        var text = new ReadOnlySpan<byte>(KeyEntry.Value(entry), KeyEntry.InlineLength(entry));
        BlockString blocks = BlockString.Create(_keyspace.Blocks, text);
        entry = EntryShape.Change(stripe, table, slot, sizeof(long), DeadlineOf(entry));
        KeyEntry.SetEncoding(entry, KeyEncoding.Blocks);
        KeyEntry.SetInlineLength(entry, 0);
        Unsafe.WriteUnaligned(KeyEntry.Value(entry), blocks.Address);
        return entry;
    }

    /// <summary>
    /// What every store does: makes an entry of this key with room for a payload, releases its old value and
    /// sets its deadline.
    /// </summary>
    private byte* Place(in Key key, KeyEncoding encoding, int payloadSize, long deadlineMs)
    {
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        DatabaseTable table = stripe.TableOrNew(_access.Database);
        byte* entry;
        uint clock = AccessNote.Initial(_access);
        if (table.Entries.TryFind(key.Hash, key.Span, out SlotReference slot))
        {
            if (_access.IsPastDeadline(slot.Entry))
            {
                _access.Expire(stripe, table, slot, _access.Database);
                return Place(in key, encoding, payloadSize, deadlineMs);
            }

            if (_keyspace.ReportedEvents != 0 && deadlineMs != KeepDeadline)
                _access.NoteSet(in key, KeyEntry.Type(slot.Entry));
            if (_keyspace.Frequency is { } frequency)
            {
                frequency.Use(slot.Entry, _access);
                clock = KeyEntry.AccessClock(slot.Entry);
            }

            entry = Renew(table, slot, in key, payloadSize, deadlineMs);
        }
        else
        {
            if (_keyspace.ReportedEvents != 0)
                EventNotes.NoteNew(_access, _access.Database, in key);
            deadlineMs = Math.Max(deadlineMs, NoDeadline);
            entry = stripe.NewEntry(KeyType.String, encoding, key.Span, deadlineMs, payloadSize);
            table.Entries.Insert(key.Hash, entry);
            EntryDeadline.Note(_access, stripe, table, key.Hash, deadlineMs);
        }

        entry[0] = (byte)((int)KeyType.String | ((int)encoding << 4));
        KeyEntry.SetInlineLength(entry, encoding is KeyEncoding.Int or KeyEncoding.Blocks ? 0 : payloadSize);
        KeyEntry.SetAccessClock(entry, clock);
        return KeyEntry.Value(entry);
    }

    private byte* Renew(
        DatabaseTable table, in SlotReference slot, in Key key, int payloadSize, long deadlineMs)
    {
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        byte* old = slot.Entry;
        stripe.BeforeRemoval(table, old);
        FieldNote.Forget(stripe, table, old);
        if (deadlineMs == KeepDeadline)
            deadlineMs = DeadlineOf(old);

        // The same deadline again must not become one more record of the index: it would never be found
        // stale.
        if (deadlineMs != DeadlineOf(old))
        {
            EntryDeadline.Forget(stripe, table, old);
            EntryDeadline.Note(_access, stripe, table, key.Hash, deadlineMs);
        }

        bool hasDeadline = deadlineMs >= 0;
        nuint size = KeyEntry.SizeOf(key.Length, payloadSize, hasDeadline);
        if (hasDeadline == KeyEntry.HasDeadline(old) && !EntryValue.IsOutside(old)
            && Arena.BlockSize(size) == Arena.BlockSize(KeyEntry.Size(old)))
        {
            if (hasDeadline)
                KeyEntry.SetDeadline(old, deadlineMs);
            return old;
        }

        byte* made = stripe.NewEntry(KeyType.String, KeyEncoding.Raw, key.Span, deadlineMs, payloadSize);
        table.Entries.Replace(slot, made);
        stripe.Free(old);
        return made;
    }
}
