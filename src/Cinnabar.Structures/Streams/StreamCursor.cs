// A walk through the entries of a range of IDs, in either direction. It begins in the page that its first
// bound leads to: at the end of that page and backwards where the walk is backwards, and also where the page
// is the stream's last, since most reads are for the newest entries.
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: reads a tree that its user keeps from changing.
/// <summary>A walk through entries.</summary>
public unsafe ref struct StreamCursor
{
    private readonly StreamId _from;
    private readonly StreamId _to;
    private readonly bool _isReverse;
    private TreePath _path;
    private StreamEntry _entry;
    private byte* _next;
    private byte* _field;
    private byte* _text;
    private bool _isValue;
    private bool _isEnd;

    internal StreamCursor(PageTree tree, StreamId from, StreamId to, bool isReverse)
    {
        _from = from;
        _to = to;
        _isReverse = isReverse;
        _isEnd = tree.Count == 0 || from > to;
        if (_isEnd) return;
        tree.Seek(new StreamKey(isReverse ? to : from), out _path);
        if (isReverse)
            _next = StreamPage.End(_path.Page);
        else if (_path.IsAtEdge(1, isLast: true))
            _next = SeekBack();
        else
            _next = StreamPage.First(_path.Page);
    }

    /// <summary>The entry's ID.</summary>
    public readonly StreamId Id => _entry.Id;

    /// <summary>Its fields, and as many values.</summary>
    public readonly int FieldCount => _entry.FieldCount;

    /// <summary>Goes to the next entry, at first to the first one; false at the end.</summary>
    public bool MoveNext()
    {
        while (!_isEnd)
        {
            if (!(_isReverse ? Back() : Forth())) break;
            if (_entry.IsDeleted || (_isReverse ? _entry.Id > _to : _entry.Id < _from)) continue;
            if (_isReverse ? _entry.Id < _from : _entry.Id > _to) break;
            _text = _entry.Texts;
            _isValue = false;
            if (_entry.HasPageFields) _field = StreamPage.Fields(_path.Page, out _);
            return true;
        }
        _isEnd = true;
        return false;
    }

    /// <summary>
    /// The entry's next text: its first field, that one's value, its second field, and so on; to be called
    /// twice as often as there are fields. Good until the stream changes.
    /// </summary>
    public ListpackValue NextText()
    {
        ref byte* at = ref _text;
        if (_entry.HasPageFields && !_isValue) at = ref _field;
        _isValue = !_isValue;
        ListpackValue value = StreamPage.ValueOf(at);
        at = ListpackFormat.Skip(at);
        return value;
    }

    private bool Forth()
    {
        if (_next == StreamPage.End(_path.Page))
        {
            if (!_path.MoveNext()) return false;
            _next = StreamPage.First(_path.Page);
        }
        StreamPage.Read(_path.Page, _next, out _entry);
        _next = StreamPage.Behind(in _entry);
        return true;
    }

    private bool Back()
    {
        byte* at = StreamPage.Before(_next);
        if (at == null)
        {
            if (!_path.MoveBack()) return false;
            at = StreamPage.Before(StreamPage.End(_path.Page));
        }
        _next = at;
        StreamPage.Read(_path.Page, at, out _entry);
        return true;
    }

    // The first entry of the page that does not lie before the range, sought from the end.
    private readonly byte* SeekBack()
    {
        byte* at = StreamPage.End(_path.Page);
        while (true)
        {
            byte* before = StreamPage.Before(at);
            if (before == null) return at;
            StreamPage.Read(_path.Page, before, out StreamEntry entry);
            if (entry.Id < _from) return at;
            at = before;
        }
    }
}
