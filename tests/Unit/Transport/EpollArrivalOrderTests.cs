using System.Runtime.Versioning;
using Cinnabar.Engine.Configuration;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>The order of arrival over epoll.</summary>
[SupportedOSPlatform("linux")]
public sealed class EpollArrivalOrderTests() : ArrivalOrderTests(TransportChoice.Epoll);
