using System;
using System.Threading.Tasks;
using Cinnabar.Lab.StreamReads;
using Xunit;

namespace Cinnabar.Tests.Lab.StreamReads;

/// <summary>As published the reads read nothing; corrected they read everything.</summary>
public sealed class StreamReadTests
{
    [Theory]
    [InlineData(256)]
    [InlineData(65_536)]
    public async Task EveryReadCopiesOnlyWhenCorrected(int size)
    {
        Func<StreamReadBenchmarks, ValueTask<int>>[] reads =
        [
            reads => new(reads.Read()), reads => new(reads.ReadAsync()), reads => new(reads.AsyncAwait()),
            reads => new(reads.ReadValueTask()), reads => reads.AsyncAwaitValueTask(),
            reads => new(reads.FSharpAsyncRead()),
        ];
        foreach (Func<StreamReadBenchmarks, ValueTask<int>> read in reads)
            foreach (bool isCorrected in (bool[])[false, true])
            {
                var benchmarks = new StreamReadBenchmarks { Size = size, IsCorrected = isCorrected };
                benchmarks.Setup();
                for (int repeated = 0; repeated < 2; repeated++)
                    Assert.Equal(isCorrected ? size : 0, await read(benchmarks));
                Assert.Equal(isCorrected, benchmarks.Buffer.IndexOf((byte)0) < 0);
            }
    }
}
