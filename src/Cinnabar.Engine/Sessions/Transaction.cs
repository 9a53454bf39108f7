using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Specs;
using Cinnabar.Memory;

namespace Cinnabar.Engine.Sessions;

/// <summary>The commands between MULTI and EXEC, with copies of their arguments in native memory.</summary>
/// <param name="counted">Counts the copies.</param>
internal sealed unsafe class Transaction(CountedMemory counted) : IDisposable
{
    // Beside its block: its place in the lists, and the allocator's header.
    private const int CommandBytes = 80;

    private readonly CountedMemory _counted = counted;
    private readonly List<QueuedCommand> _commands = [];
    private readonly List<nint> _blocks = [];
    private bool _isDisposed;

    /// <summary>The queued commands in order.</summary>
    public ReadOnlySpan<QueuedCommand> Commands => CollectionsMarshal.AsSpan(_commands);

    /// <summary>Bytes of memory held.</summary>
    public long MemoryUsage { get; private set; }

    /// <summary>Bytes of the queued commands' arguments.</summary>
    public long ArgumentBytes { get; private set; }

    /// <summary>The database that the queued commands have selected last; null: none.</summary>
    public int? Database { get; private set; }

    /// <summary>Queues a command that its own flags describe.</summary>
    public void Add(CommandSpec spec, ArgumentList arguments) => Add(spec, spec.Flags, arguments);

    /// <summary>Queues a command: one block holds its argument records and their bytes.</summary>
    /// <param name="spec">The command.</param>
    /// <param name="flags">Its flags, as the script that it runs says them.</param>
    /// <param name="arguments">Its arguments.</param>
    public void Add(CommandSpec spec, CommandFlags flags, ArgumentList arguments)
    {
        Debug.Assert(!_isDisposed && spec.AcceptsCount(arguments.Count), "a queued command is complete");
        long size = (long)arguments.Count * sizeof(Argument);
        for (int index = 0; index < arguments.Count; index++)
            size += arguments[index].Length;
        byte* block = (byte*)NativeMemory.Alloc((nuint)size);
        _blocks.Add((nint)block);
        MemoryUsage += size + CommandBytes;
        _counted.Add(size + CommandBytes);
        ArgumentBytes += size - ((long)arguments.Count * sizeof(Argument));
        var records = (Argument*)block;
        byte* place = block + ((long)arguments.Count * sizeof(Argument));
        for (int index = 0; index < arguments.Count; index++)
        {
            // SAFETY: the block was made for exactly these records and bytes.
            records[index] = arguments[index];
            records[index].Flags = 0;
            arguments[index].Span.CopyTo(new Span<byte>(place, arguments[index].Length));
            records[index].Data = place;
            place += arguments[index].Length;
        }

        _commands.Add(new QueuedCommand(spec, flags, new ArgumentList(records, arguments.Count)));
        if (spec.Id == CommandId.Select && RedisNumber.TryParseInt64(arguments[1].Span, out long database)
            && database == (int)database)
            Database = (int)database;
    }

    public void Dispose()
    {
        Debug.Assert(!_isDisposed, "a transaction ends once");
        _isDisposed = true;
        _counted.Add(-MemoryUsage);
        foreach (nint block in _blocks)
            NativeMemory.Free((void*)block);
        _blocks.Clear();
        _commands.Clear();
    }
}
