using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>A thread that is no loop's, and works while the thread that asks it waits.</summary>
internal sealed class OutsideThread : IDisposable
{
    private readonly SemaphoreSlim _asked = new(0);
    private readonly SemaphoreSlim _done = new(0);
    private readonly Thread _thread;
    private Action? _action;
    private ExceptionDispatchInfo? _fault;

    /// <summary>Starts it.</summary>
    public OutsideThread()
    {
        _thread = new Thread(Run) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>Has it do something, and waits for the end.</summary>
    public void Do(Action action)
    {
        _action = action;
        _asked.Release();
        _done.Wait();
        _fault?.Throw();
    }

    public void Dispose()
    {
        _action = null;
        _asked.Release();
        _thread.Join();
        _asked.Dispose();
        _done.Dispose();
    }

    private void Run()
    {
        while (true)
        {
            _asked.Wait();
            if (_action is not { } action)
                return;
            try
            {
                action();
            }
            catch (Exception fault)
            {
                _fault = ExceptionDispatchInfo.Capture(fault);
            }

            _done.Release();
        }
    }
}
