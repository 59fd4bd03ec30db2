from niwaki.kernel.transition.systems._system import System

SYSTEM: System
