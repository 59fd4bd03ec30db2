"""What trees and texts become: orders, links, answers. Tasks never see a parser."""
