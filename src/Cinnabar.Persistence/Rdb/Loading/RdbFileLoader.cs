// Loading on all cores:
//
//                      ┌─ full ─► worker ─┐
//   file ─► scanner ─► ┼─ full ─► worker ─┼─► stripes of the key space
//      ▲               └─ full ─► worker ─┘
//      └────────────── empty blocks ◄─────┘
//
// The caller's thread scans (RdbItemScanner); workers load what it found (RdbLoadWorker). There are two
// blocks more than workers, so that the scanner waits where the workers are behind. Keys of one file are
// different, so it does not matter in which order the blocks are loaded.
//
// The first failure, by its place in the file as far as it is known, ends the load: the scanner stops, the
// workers give back the blocks they get, and all threads end before the caller hears of it. What was loaded
// stays in the key space: the caller empties it or gives it up.

using System.IO;
using System.Runtime.ExceptionServices;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform.Files;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Loads an RDB file into a key space.</summary>
public sealed class RdbFileLoader
{
    private const int SpareBlockCount = 2;

    private readonly RdbLoad _load;
    private readonly RdbItemScanner _scanner;
    private readonly RdbLoadWorker[] _workers;
    private readonly RdbBlockQueue _full = new();
    private readonly RdbBlockQueue _empty = new();
    private readonly Lock _lock = new();
    private Exception? _failure;

    private RdbFileLoader(RdbLoad load)
    {
        _load = load;
        _scanner = new RdbItemScanner(load.File, load.Options, new RdbKeyCollector(load));
        _workers = new RdbLoadWorker[Math.Max(1, load.Options.WorkerCount)];
        for (int index = 0; index < _workers.Length; index++)
            _workers[index] = new RdbLoadWorker(load);
    }

    /// <summary>Loads a file.</summary>
    /// <param name="file">The file.</param>
    /// <param name="keyspace">Where to.</param>
    /// <param name="options">How.</param>
    /// <param name="observer">Hears of what it is told beside; of the progress first, before the file is
    /// read.</param>
    /// <param name="stop">Ends the load.</param>
    /// <returns>The offset behind the RDB data: commands of an append only file may follow.</returns>
    /// <exception cref="RdbFormatException">The file is damaged, or not one that is read.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="OperationCanceledException">The load was ended.</exception>
    public static long Load(StoredFile file, Keyspace.Keyspace keyspace, RdbReadOptions options,
        IRdbFileObserver observer, CancellationToken stop = default)
    {
        var loader = new RdbFileLoader(new RdbLoad(file, keyspace, options, observer, stop));
        try
        {
            observer.Advanced(loader._load.Progress);
            loader._scanner.ReadHeader();
            if (options.WorkerCount == 0)
                loader.RunAlone();
            else
                loader.RunParallel();
            return loader._scanner.Offset;
        }
        finally
        {
            foreach (RdbLoadWorker worker in loader._workers)
                worker.Dispose();
        }
    }

    private void RunAlone()
    {
        using var block = new RdbBlock(_load.Options.BlockSize);
        while (!_scanner.IsAtEnd)
        {
            _scanner.Fill(block);
            _workers[0].Load(block);
            NoteProgress();
        }
    }

    private void RunParallel()
    {
        var blocks = new RdbBlock[_workers.Length + SpareBlockCount];
        for (int index = 0; index < blocks.Length; index++)
        {
            blocks[index] = new RdbBlock(_load.Options.BlockSize);
            _empty.Add(blocks[index]);
        }

        Thread[] threads = Array.ConvertAll(_workers, StartThread);
        try
        {
            Scan();
        }
        finally
        {
            _full.Close();
            foreach (Thread thread in threads)
                thread.Join();
            foreach (RdbBlock block in blocks)
                block.Dispose();
        }

        if (_failure is not null)
            ExceptionDispatchInfo.Throw(_failure);
    }

    private void Scan()
    {
        try
        {
            while (!_scanner.IsAtEnd && Volatile.Read(ref _failure) is null)
            {
                RdbBlock block = _empty.Take()!;
                _scanner.Fill(block);
                _full.Add(block);
                NoteProgress();
            }
        }
        catch (Exception fault)
        {
            NoteFailure(fault);
        }
    }

    private void NoteProgress()
    {
        _load.Progress.LoadedBytes = _scanner.Offset;
        _load.Observer.Advanced(_load.Progress);
        // Tables that grow leave segments behind, which they use again once no loop can hold them.
        if (_load.Keyspace.Quiescence.HasRetired)
            _load.Keyspace.Quiescence.Poll();
    }

    private Thread StartThread(RdbLoadWorker worker)
    {
        var thread = new Thread(() => Work(worker)) { Name = "cinnabar-load", IsBackground = true };
        thread.Start();
        return thread;
    }

    private void Work(RdbLoadWorker worker)
    {
        while (_full.Take() is { } block)
        {
            try
            {
                if (Volatile.Read(ref _failure) is null)
                    worker.Load(block);
            }
            catch (Exception fault)
            {
                NoteFailure(fault);
            }

            _empty.Add(block);
        }
    }

    private void NoteFailure(Exception fault)
    {
        lock (_lock)
        {
            bool isEarlier = _failure is RdbFormatException noted && fault is RdbFormatException other
                && other.Offset < noted.Offset;
            if (_failure is null || isEarlier)
                _failure = fault;
        }
    }
}
