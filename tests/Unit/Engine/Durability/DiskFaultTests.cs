using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Engine.Journaling;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>
/// A server lives several times on one disk, which fails in all ways: writes, also in part, flushes, renames,
/// names, a full disk; meanwhile the append-only file is rewritten and RDB files are saved. Each life ends by
/// a kill or a power loss, or because the server ends itself, and power is lost before every single operation
/// besides. It always starts again, with what it may not have lost.
/// </summary>
public sealed class DiskFaultTests
{
    private const int LifeCount = 3;
    private const int UnitCount = 12;
    private const int TurnsPerUnit = 4;
    private const int StepUsMax = 100_000;

    // A flush a second, and what its thread sleeps at most.
    private const long EverySecondUs = 1_000_000 + (2 * StepUsMax);

    [Theory]
    [InlineData("always", 0)]
    [InlineData("always", 25)]
    [InlineData("everysec", 0)]
    [InlineData("everysec", 25)]
    public void NoMoreIsLostThanThePolicyAllows(string policy, int operationsPerFault) =>
        Seeded.Run(1, seed => new Lives(policy, operationsPerFault, seed).Run());

    private static TestServer Start(
        SimulatedFileSystem files, ManualClock clock, string policy, bool isAppendOnly = true)
    {
        // A power loss may leave zeros at the end of a file.
        TestServer server = TestServer.On(files, clock, ("appendonly", isAppendOnly ? "yes" : "no"),
            ("appendfsync", policy), ("aof-load-corrupt-tail-max-size", "1gb"));
        Exception? fault = server.Load();
        Assert.True(fault is null, $"it does not start: {string.Join('\n', server.Log.Lines)}");
        return server;
    }

    private sealed class Lives(string policy, int operationsPerFault, ulong seed)
    {
        private readonly ManualClock _clock = new();
        private readonly WrittenUnits _units = new();
        private readonly List<DiskImage> _images = [];
        private readonly List<string> _history = [];
        private SimulatedFileSystem _files = new();
        private RandomSource _random = new(seed);
        private RandomSource _losses = new(seed + 1);
        private TestServer _server = null!;
        private TestClient _saver = null!;
        private int _flushing;
        private int _flushed;
        private int _saving = -1;
        private int _saved;
        private bool _isFull;
        private bool _hasFlushFailed;

        internal void Run()
        {
            int durableCount = 0;
            for (int life = 0; life < LifeCount; life++)
            {
                _server = Start(_files, _clock, policy);
                _units.BeginLife(_server, durableCount);
                durableCount = Live();
                // What a failed flush has dropped a system may go on showing to the next process: no server
                // knows of it then.
                bool isKill = _random.NextBelow(2) == 0 && !_hasFlushFailed;
                _files.Changing = null;
                _files.Capacity = long.MaxValue;
                SimulatedFileSystem left = isKill ? _files.AfterKill() : _files.AfterPowerLoss(ref _losses);
                _server.Dispose();
                foreach (DiskImage image in _images)
                    Check(image);
                _images.Clear();
                _history.Add(isKill ? "kill" : "power loss");
                _files = left;
            }
        }

        // Gives how many units must survive.
        private int Live()
        {
            _saver = _server.Connect();
            (_saving, _saved) = (-1, 0);
            // What a server has loaded is durable before a client sees it.
            _flushing = _flushed = _units.SentCount;
            (_isFull, _hasFlushFailed) = (false, false);
            _files.Changing = IsDone;
            for (int count = 0; count < UnitCount && !HasEnded(); count++)
            {
                if (_random.NextBelow(6) == 0)
                    Save();
                _units.Send(ref _random);
                for (int turn = 0; turn < TurnsPerUnit && !HasEnded(); turn++)
                    Turn();
            }

            if (HasEnded())
                AssertSilent();
            return DurableCount;
        }

        // A process that is about to end acknowledges nothing more.
        private void AssertSilent()
        {
            _server.TakeFault();
            _files.Changing = null;
            int settledCount = _units.SettledCount;
            for (int turn = 0; turn < TurnsPerUnit; turn++)
                Turn();
            Assert.Equal(settledCount, _units.SettledCount);
        }

        private int DurableCount => policy == "always" ? _units.SettledCount
            : operationsPerFault > 0 ? _flushed
            : Math.Max(_flushed, _units.SettledBefore(_clock.UnixMicroseconds - EverySecondUs));

        private void Save()
        {
            switch (_random.NextBelow(3))
            {
                case 0:
                    _server.Connect().Send("BGREWRITEAOF");
                    break;
                case 1:
                    _server.Connect().Send("BGSAVE");
                    break;
                default:
                    if (_saving >= 0)
                        break;
                    _saving = _units.SettledCount;
                    _saver.Send("SAVE");
                    break;
            }
        }

        private void Turn()
        {
            try
            {
                _server.TurnLoop(0);
                _server.StepSaver();
                _units.TakeReplies(_clock.UnixMicroseconds);
                foreach (var reply in _saver.Take())
                {
                    _saved = reply.Kind == '+' ? _saving : _saved;
                    _saving = -1;
                }

                _clock.Advance((long)_random.NextBelow(StepUsMax));
                _server.Engine.Data.Journal.Step();
            }
            catch (InvalidOperationException) when (_server.Fault is not null)
            {
                // The server ends: its process would be gone.
            }
        }

        private bool HasEnded() => _server.Fault is not null;

        // Called before each operation of the disk; gives whether it succeeds.
        private bool IsDone(string operation, string path)
        {
            ServerJournal journal = _server.Engine.Data.Journal;
            _flushed = _flushing;
            _images.Add(new DiskImage(_files.AfterPowerLoss(ref _losses), _history.Count, DurableCount,
                _units.SentCount, _saved));
            bool isFailing = operationsPerFault > 0 && _random.NextBelow((ulong)operationsPerFault) == 0;
            if (operationsPerFault > 0 && operation == "write" && _random.NextBelow(40) == 0)
                _isFull = true;
            else if (_random.NextBelow(4) == 0)
                _isFull = false;
            // A part of the bytes still fits.
            _files.Capacity = _isFull ? _files.UsedBytes + (long)_random.NextBelow(100) : long.MaxValue;
            if (operation == "flush" && path.EndsWith(".incr.aof", StringComparison.Ordinal) && !isFailing
                && journal.Writer is { PendingBytes: 0, IsDoubtful: false })
                _flushing = _units.SettledCount;
            _hasFlushFailed |= operation == "flush" && isFailing;
            _history.Add($"{Path.GetFileName(path)} {operation}{(isFailing ? " fails" : "")}"
                + $"{(_isFull ? " full" : "")} {DurableCount}/{_units.SentCount}");
            return !isFailing;
        }

        private void Check(DiskImage image)
        {
            try
            {
                using (TestServer server = Start(image.Files, new ManualClock(), "no"))
                    _units.Check(server.Connect(), image.DurableCount, image.SentCount);
                // Every other one: a start is the most of the test.
                if (image.HistoryLength % 2 == 0)
                    return;
                using TestServer other = Start(image.Files, new ManualClock(), "no", isAppendOnly: false);
                _units.CheckSnapshot(other.Connect(), image.SavedCount, image.SentCount);
            }
            catch (Exception fault)
            {
                throw new InvalidOperationException($"{fault.Message}, after:\n"
                    + string.Join('\n', _history.Take(image.HistoryLength)), fault);
            }
        }
    }
}
