// The thread that touches huge pages before anybody needs them (PageSource says why). It runs only in time
// that no other thread of the machine wants, and is put aside at once when one does: on a core of its own a
// loop is then not delayed by what this thread does for it.
//
// Put aside at once it is when another thread wakes up, but for a while after it woke up itself (LongWork
// says why). Where another is running without a break, even the lowest rank has its three parts in a thousand
// of the processor, and once it has it keeps it to the next tick, up to 4 ms: so before every huge page the
// thread yields, and between small ones, which it touches in their place where huge ones take long
// (TouchCost). It gets more where a loop that has nothing to do sleeps instead of polling, which loops do
// while there are pages to prepare (PageSource.IsPreparing).
//
// A thread of such a rank must hold nothing that others wait for. It holds the page source's lock for some
// hundred instructions a huge page; the clearing itself is done by the system, outside managed code (so that
// no garbage collection waits for it) and outside every lock. Where the machine is so busy that it never gets
// to run, loops touch their pages themselves, as they would without it.
using System;
using System.Threading;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>Prepares a page source's huge pages on a thread of its own.</summary>
internal sealed class HugePagePreparer : IDisposable
{
    private const int StackBytes = 256 * 1024;

    private readonly PageSource _pages;
    private readonly AutoResetEvent _wake = new(initialState: false);
    private readonly Thread _thread;
    private readonly LongWork _work = new();
    private volatile bool _isStopping;

    private HugePagePreparer(PageSource pages)
    {
        _pages = pages;
        _thread = new Thread(Run, StackBytes) { IsBackground = true, Name = "cinnabar-pages" };
    }

    /// <summary>Starts one.</summary>
    /// <param name="pages">Whose pages it prepares.</param>
    /// <param name="start">How its thread is started; none: as usual.</param>
    /// <returns>Null where the system gives no thread, for want of memory or of the descriptors that each
    /// begins with.</returns>
    internal static HugePagePreparer? TryStart(PageSource pages, Action<Thread>? start = null)
    {
        var preparer = new HugePagePreparer(pages);
        try
        {
            (start ?? (static thread => thread.Start()))(preparer._thread);
            return preparer;
        }
        catch (OutOfMemoryException)
        {
            preparer._wake.Dispose();
            return null;
        }
    }

    /// <summary>Has it look whether a page is to be prepared.</summary>
    internal void Wake() => _wake.Set();

    /// <summary>Ends the thread and waits for its end.</summary>
    public void Dispose()
    {
        _isStopping = true;
        _wake.Set();
        _thread.Join();
        _wake.Dispose();
    }

    private void Run()
    {
        ThreadRank.TakeLowest();
        while (!_isStopping)
        {
            _wake.WaitOne();
            PrepareAll();
        }
    }

    private void PrepareAll()
    {
        try
        {
            do
                Thread.Yield();
            while (!_isStopping && _pages.PrepareNext(_work));
        }
        catch (OutOfMemoryException)
        {
            // Nothing was promised: who needs memory asks for it and then meets the same fault.
            _pages.StopPreparing();
        }
    }
}
