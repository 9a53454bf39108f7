// With how many threads a server serves most. A loop a core is right while the cores are the server's. Where
// clients run on the same machine, each of the loops' threads takes from them and they from it, and a client
// that finds the replies of one thread at a time pays for fewer wake-ups than one that several wake up.
//
//   little to do                       one thread, until it is busy most of its time: no request overtakes
//                                      another then (ArrivalOrder), and nobody is woken in vain
//   the work would fit fewer threads   try one fewer: keep it if more is served, or as much on a full machine
//   the threads are full               try one more: keep it if more is served
//
// What a trial shows counts, not a model of the machine: somebody else's work may be what fills it. A trial
// that fails is repeated after twice as long as the last one; one that succeeds is questioned after a while.

using System;

namespace Cinnabar.Transport.Epoll;

/// <summary>Decides how many threads drive a server's loops, sample by sample.</summary>
internal sealed class SharingPolicy
{
    private const int TrialSampleCount = 5;
    private const int BaseSampleCount = 4;
    private const int PatienceMin = 10;
    private const int PatienceMax = 640;
    private const int KeptCount = 100;
    private const double FullIdleCores = 0.15;
    private const double RoomIdleCores = 0.3;
    private const double SpareCores = 0.15;
    private const double FullShare = 0.85;
    private const double FewestShare = 0.3;
    private const double StretchedShare = 0.75;
    private const double StretchedShareIfFull = 0.6;
    private const int QuietCount = 3;
    private const double EqualRatio = 0.99;
    private const double MoreRatio = 1.04;

    private readonly int _countMax;
    private bool _isQuiet = true;
    private int _quietCount;
    private int _countBefore;
    private int _trialLeft;
    private int _sampleCount;
    private int _restLeft;
    private int _wantedLast;
    private bool _hasKept;
    private bool _wasFull;
    private int _patience = PatienceMin;
    private double _rateSum;
    private double _rateBefore;
    private double _ratioWanted;

    /// <summary>Makes a policy for so many loops, of which nobody wants anything yet.</summary>
    public SharingPolicy(int loopCount) => _countMax = loopCount;

    /// <summary>How many threads should drive the loops.</summary>
    public int ThreadCount { get; private set; } = 1;

    /// <summary>Learns from a sample of a longer time: loops that slept have told nothing meanwhile, nor have
    /// those whose turns are long. Who was busy nearly all the time has not slept.</summary>
    public void LearnFromLong(in LoadSample sample)
    {
        if (sample.BusyCores < FewestShare)
            BeQuiet();
        else if (sample.BusyCores >= StretchedShareIfFull * ThreadCount)
            Learn(in sample);
    }

    /// <summary>Learns from a sample.</summary>
    public void Learn(in LoadSample sample)
    {
        bool isFull = sample.IdleCores < FullIdleCores;
        if (_isQuiet)
        {
            _isQuiet = sample.BusyCores < (isFull ? StretchedShareIfFull : StretchedShare);
            // Where others need the processors, too, one thread more is a trial as every other.
            if (!_isQuiet && !isFull)
                ThreadCount = _countMax;
            return;
        }

        _quietCount = sample.BusyCores < FewestShare ? _quietCount + 1 : 0;
        if (_quietCount == QuietCount)
        {
            BeQuiet();
            return;
        }

        if (_trialLeft > 0)
        {
            LearnFromTrial(in sample);
            return;
        }

        _restLeft = Math.Max(_restLeft - 1, 0);
        int wanted = Wanted(in sample, out double ratioWanted);
        if (wanted != _wantedLast)
            Forget();
        _wantedLast = wanted;
        _rateSum += sample.Rate;
        if (++_sampleCount < BaseSampleCount || wanted == ThreadCount)
            return;
        _ratioWanted = ratioWanted;
        _wasFull = isFull;
        Try(wanted);
    }

    private void BeQuiet()
    {
        _isQuiet = true;
        _quietCount = 0;
        ThreadCount = 1;
        _trialLeft = 0;
        _restLeft = 0;
        Forget();
    }

    private int Wanted(in LoadSample sample, out double ratioWanted)
    {
        ratioWanted = MoreRatio;
        bool isFull = sample.IdleCores < FullIdleCores;
        double fullShare = isFull ? StretchedShareIfFull : FullShare;
        // Where one thread more has served more, another may; and a processor that has become idle is a
        // reason to question what a trial has shown.
        bool hasGrown = _hasKept && ThreadCount > _countBefore;
        bool hasRoom = (_hasKept || _wasFull) && sample.IdleCores >= RoomIdleCores;
        bool mayGrow = _restLeft == 0 || hasGrown || hasRoom;
        if (mayGrow && ThreadCount < _countMax && sample.BusyCores >= fullShare * ThreadCount)
            return ThreadCount + 1;
        if (_restLeft > 0 || ThreadCount == 1 || sample.BusyCores < FewestShare)
            return ThreadCount;
        int fewer = ThreadCount - 1;
        if (isFull)
            ratioWanted = EqualRatio;
        return sample.BusyCores <= (isFull ? fewer + SpareCores : fewer * FullShare) ? fewer : ThreadCount;
    }

    private void Try(int count)
    {
        _rateBefore = _rateSum / BaseSampleCount;
        _countBefore = ThreadCount;
        ThreadCount = count;
        _trialLeft = TrialSampleCount;
        Forget();
    }

    // The first sample is partly of the time before.
    private void LearnFromTrial(in LoadSample sample)
    {
        bool isOver = sample.BusyCores < FewestShare;
        if (_trialLeft-- < TrialSampleCount)
            _rateSum += sample.Rate;
        if (_trialLeft > 0 && !isOver)
            return;
        _hasKept = !isOver && _rateSum / (TrialSampleCount - 1) >= _ratioWanted * _rateBefore;
        if (_hasKept)
            _patience = KeptCount;
        else
            ThreadCount = _countBefore;
        _restLeft = _patience;
        if (!_hasKept && !isOver)
            _patience = Math.Min(2 * _patience, PatienceMax);

        _trialLeft = 0;
        Forget();
    }

    private void Forget()
    {
        _sampleCount = 0;
        _rateSum = 0;
    }
}
