"""What trees and texts become: orders, links. Tasks never see a parser."""
