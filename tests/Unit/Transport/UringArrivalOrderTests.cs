using System.Runtime.Versioning;
using Cinnabar.Engine.Configuration;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>The order of arrival over io_uring.</summary>
[SupportedOSPlatform("linux")]
public sealed class UringArrivalOrderTests() : ArrivalOrderTests(TransportChoice.Uring);
